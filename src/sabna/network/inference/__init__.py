"""What a fitted network says about one variable, given what rows show of the others."""
