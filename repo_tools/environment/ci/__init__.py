"""What a repository's continuous integration says of its set-up and tests: evidence, never executed.

What becomes of a workflow, and in which modules:

1. `workflows` reads the files of GitHub, or else those of `travis` and `circleci*`, the last one as
   `told_jobs`: jobs of GitHub's that do the same. The test job comes first (`ranking`).
2. `jobs` reads one job: for which values (`matrix`, `values`), and which of its steps are done (`conditions`,
   `composite`).
3. `steps` reads one step: the commands of its script (`script_commands`, `script_words`) or of the action that it uses
   (`actions`). What these start in their turn stands in `scripts`, `package_scripts` and
   `task_files`, and for containers in `contained` and the modules beside it.
4. `commands` says what one command is for: what it starts in the end (`wrappers`), and whether that tests (`programs`).
5. `evidence` is what the job's commands tell, with its `versions`, its `job_variables` and what it starts beside its
   tests (`services`, `servers`, `compose`).
6. `additions` puts the evidence into the plan of a project (`tools`, `options`, `installs`, `preparations`, `builds`);
   `detector` makes a plan of it where no other detector has one.
"""
