"""The terminal."""


def main() -> None:
    """Run the command line."""
