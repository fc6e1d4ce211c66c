"""`python -m web.generate` writes what the npm package shares with Python, and what its tests compare with Python's."""

from __future__ import annotations

from web.generate.files import sample_files, shared_files


def main() -> None:
    """Write every generated file."""
    for path, text in {**shared_files(), **sample_files()}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(path.name)


if __name__ == "__main__":
    main()
