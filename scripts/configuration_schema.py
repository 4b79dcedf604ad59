"""Write docs/agent-fix.schema.json, by which editors check `.github/agent-fix.yml`, from the classes that read it."""

from pathlib import Path

from workers.configuration.schema import schema_text

PLACE = Path(__file__).resolve().parent.parent / "docs" / "agent-fix.schema.json"

if __name__ == "__main__":
    PLACE.write_text(schema_text(), encoding="utf-8")
