"""Tasks: data that is read or generated, each with a checker of its own."""
