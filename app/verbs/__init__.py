"""One module a verb: EXAMPLE, JSON (has it a result?), arguments(parser), run(arguments)."""
