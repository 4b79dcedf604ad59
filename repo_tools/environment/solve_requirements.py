"""What a task without a repository has at hand. Apart, because settings name it, and the web process reads settings."""

REQUIREMENTS = ("numpy", "pandas", "matplotlib", "scikit-learn")
