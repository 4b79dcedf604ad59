"""One fix attempt: loop, model, tools, budget, transcript, prompts."""
