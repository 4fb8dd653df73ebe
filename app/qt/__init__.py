"""The only rooms that know Qt."""
