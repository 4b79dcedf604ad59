"""What people read, as pure functions of values: draft, escalation, refusal, transcript, local report."""
