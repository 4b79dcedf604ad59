"""The spine: Celery, the run store and journal, the pipeline, GitHub effects, publisher, reconciler."""
