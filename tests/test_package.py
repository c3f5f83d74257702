"""The package as a whole: it imports, and offers what it lists."""

import sabna


def test_every_public_name_is_there() -> None:
    for name in sabna.__all__:
        assert getattr(sabna, name) is not None
