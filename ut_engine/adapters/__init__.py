"""One file per checkpoint family, found by walking this folder."""
