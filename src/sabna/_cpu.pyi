"""Which builds of the core this machine can run; compiled for any machine (bindings/cpu.cc)."""

def supports_v3() -> bool:
    """Whether this machine has what x86-64-v3 asks for: AVX2, BMI, POPCNT."""
