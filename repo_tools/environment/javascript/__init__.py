"""How JavaScript and TypeScript projects are set up and tested."""
