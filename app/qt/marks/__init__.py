"""One polished widget per mark of `app.scene`."""
