"""Small helpers that know nothing of tables, forests or estimators."""
