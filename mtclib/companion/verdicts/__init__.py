"""Published numbers, verdicts, audits of printed tables, decisions and claims."""
