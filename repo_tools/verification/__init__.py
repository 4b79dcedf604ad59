"""The verdict: three runs in fresh boxes, judged without I/O."""
