"""What the model can do: narrow tools on the workspace, and no shell."""
