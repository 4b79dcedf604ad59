"""What a file of CircleCI says of the jobs that run tests, as evidence: nothing of it is run."""

import time
from textwrap import dedent

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import jobs_told
from tests.support.files_checkout import FilesCheckout

PATH = ".circleci/config.yml"


def jobs_of(text: str, **more: str) -> tuple[WorkflowEvidence, ...]:
    return jobs_told(PATH, text, **more)


def of_steps(steps: str, rest: str = "", job: str = "") -> WorkflowEvidence:
    indented = "".join(f"      {line}\n" for line in dedent(steps).strip().splitlines())
    own = "".join(f"    {line}\n" for line in dedent(job).strip().splitlines())
    (found,) = jobs_of(f"version: 2.1\n{dedent(rest)}\njobs:\n  build:\n{own}    steps:\n{indented}")
    return found


def told(job: WorkflowEvidence) -> list[tuple[str, str]]:
    return [(" ".join(command.argv), command.directory) for command in job.tests]


PLAIN = """\
    version: 2
    jobs:
      build:
        working_directory: ~/repo
        environment: {A: 1, CACHE: ~/.cache, CHROME_BIN: /usr/bin/google-chrome, KEY: $SECRET, JVM_OPTS: -Xmx3g}
        docker:
          - image: circleci/python:3.6.4-browsers
            environment: [{B: two}, C=3]
          - image: circleci/postgres:9.6-alpine-ram
            environment:
              POSTGRES_USER: jubilant
          - image: redis
          - image: circleci/mongo:4
        steps:
          - checkout
          - restore_cache: {keys: [a]}
          - run: pip install -r requirements.txt
          - run:
              name: tests
              command: |
                . venv/bin/activate
                cd ~/repo/web
                pytest -x
              environment: {D: 4}
          - store_test_results: {path: results}
    """


def test_a_job_tells_its_language_its_services_its_variables_and_what_it_runs() -> None:
    (job,) = jobs_of(PLAIN)
    assert job.source == f"{PATH}:3 (job build)"
    assert [command.source for command in job.tests] == [f"{PATH}:23"]
    assert told(job) == [("pytest -x", "web")]
    assert [command.argv for command in job.installs] == [("pip", "install", "-r", "requirements.txt")]
    assert job.versions == {"python": ("3.6.4",)}
    assert job.variables == {"A": "1", "B": "two", "C": "3", "D": "4"}
    assert [(each.kind, each.version, each.port) for each in job.services] == [
        ("postgresql", "9.6", None), ("redis", "", None),
    ]  # fmt: skip
    assert job.services[0].variables == {"POSTGRES_USER": "jubilant", "POSTGRES_DB": "circle_test"}
    assert job.services[0].source == f"{PATH}:9"
    assert job.unknown_services == ("circleci/mongo:4",)


def test_the_plan_of_a_repository_has_what_circleci_says_and_names_it() -> None:
    package = '{"name": "a", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "5"}}'
    text = """\
    version: 2
    jobs:
      build:
        docker:
          - image: circleci/node:8.16.0
          - image: cimg/postgres:14.1
        steps: [checkout, {run: npm test}]
    """
    checkout = FilesCheckout({PATH: dedent(text), "package.json": package, "test/a.js": "it('a', () => {})"})
    plan = detect(checkout.tree, checkout.read)
    assert [service.kind for service in plan.services] == ["postgresql"]
    assert f"{PATH}:3 (job build): tested with node 8" in plan.evidence


@pytest.mark.parametrize(
    ("merge", "value"),
    [("<<: *defaults", "two"), ("<<: [*other, *defaults]", "three"), ("<<: [*defaults, *other]", "two")],
)
def test_merges_bring_what_others_say_and_the_first_of_several_counts(merge: str, value: str) -> None:
    text = f"""\
    version: 2
    other: &other {{docker: [{{image: "python:3"}}], environment: {{A: three}}}}
    defaults: &defaults {{docker: [{{image: "python:2"}}], environment: {{A: two}}}}
    step: &step {{run: {{command: pytest}}}}
    jobs:
      build:
        {merge}
        steps:
          - <<: *step
    """
    (job,) = jobs_of(text)
    assert told(job) == [("pytest", "")]
    assert job.variables["A"] == value


@pytest.mark.parametrize(
    ("step", "directory"),
    [
        ("run: pytest", ""),
        ("run: {command: pytest, working_directory: web}", "web"),
        ("run: {command: pytest, working_directory: ~/repo/web}", "web"),
        ("run: {command: pytest, working_directory: /home/circleci/repo/web}", "web"),
        ("run: {command: cd $HOME/repo/web && pytest}", "web"),
        ("run: {command: cd $CIRCLE_WORKING_DIRECTORY/web && pytest}", "web"),
        ("run: {command: pytest, working_directory: web/..}", ""),
    ],
)
def test_folders_are_those_of_the_work_tree(step: str, directory: str) -> None:
    assert told(of_steps(f"- checkout\n- {step}", job="working_directory: ~/repo")) == [("pytest", directory)]


@pytest.mark.parametrize("step", ["checkout: {path: ~/repo}", "checkout: {path: ..}", "attach_workspace: {at: ~/repo}"])
def test_a_job_may_start_below_the_work_tree(step: str) -> None:
    job = "working_directory: ~/repo/web"
    assert told(of_steps(f"- {step}\n- run: pytest", job=job)) == [("pytest", "web")]


def test_a_folder_outside_of_the_work_tree_has_none_of_its_tests() -> None:
    assert (
        jobs_of(
            "jobs: {a: {working_directory: ~/r, steps: [checkout, {run: {command: pytest, working_directory: ~/x}}]}}"
        )
        == ()
    )


def test_commands_of_the_file_stand_for_their_steps_with_what_is_passed_or_their_defaults() -> None:
    rest = """\
    parameters: {flag: {type: string, default: -v}}
    commands:
      test:
        parameters:
          where: {type: string, default: web}
          how: {type: string}
          before: {type: steps, default: []}
        steps:
          - steps: []
          - << parameters.before >>
          - run:
              command: "pytest <<parameters.how>> << pipeline.parameters.flag >>"
              working_directory: << parameters.where >>
      both:
        parameters: {how: {type: string}}
        steps:
          - test: {how: << parameters.how >>, before: [{run: pip install more}]}
          - test: {how: -y, where: .}
    """
    job = of_steps("- both: {how: -x}", rest)
    assert told(job) == [("pytest -x -v", "web"), ("pytest -y -v", "")]
    assert [command.argv for command in job.installs] == [("pip", "install", "more")]


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("true", True), ("false", False), ("''", False), ("<< pipeline.parameters.on >>", True),
        ("{not: << pipeline.parameters.on >>}", False), ("{equal: [a, a]}", True), ("{equal: [a, b]}", False),
        ("{and: [true, {or: [false, true]}]}", True), ("{and: [true, false]}", False),
        ("{equal: [main, << pipeline.git.branch >>]}", False),
    ],
)  # fmt: skip
def test_steps_on_a_condition_are_taken_where_it_is_met(condition: str, is_met: bool) -> None:
    rest = "parameters: {on: {type: boolean, default: true}}"
    steps = f"""\
    - when: {{condition: {condition}, steps: [{{run: pytest yes}}]}}
    - unless: {{condition: {condition}, steps: [{{run: pytest no}}]}}
    - run: {{command: pytest failed, when: on_fail}}
    """
    assert told(of_steps(steps, rest)) == [("pytest yes" if is_met else "pytest no", "")]


def test_executors_are_where_jobs_run_that_name_them() -> None:
    rest = """\
    orbs: {node: circleci/node@4.1}
    executors:
      with-redis:
        parameters: {v: {type: string, default: "3.7"}}
        docker: [{image: "cimg/python:<< parameters.v >>"}, {image: redis}]
        working_directory: ~/repo
        environment: {A: 1, B: 1}
    """
    job = of_steps("- run: pytest", rest, "executor: {name: with-redis, v: '3.8'}\nenvironment: {B: 2}")
    assert (job.versions, [each.kind for each in job.services]) == ({"python": ("3.8",)}, ["redis"])
    assert job.variables == {"A": "1", "B": "2"}
    assert of_steps("- run: pytest", rest, "executor: with-redis").versions == {"python": ("3.7",)}
    assert of_steps("- run: npm test", rest, "executor: {name: node/default, tag: '10.4'}").versions == {
        "node": ("10.4",)
    }


def test_the_values_of_a_matrix_are_all_versions_and_the_job_that_stands_for_all_has_the_newest() -> None:
    text = """\
    version: 2.1
    jobs:
      test:
        parameters: {python: {type: string}, django: {type: string, default: "1.11"}}
        docker: [{image: "cimg/python:<< parameters.python >>"}]
        steps: [checkout, {run: "pip install django==<< parameters.django >>"}, {run: pytest}]
    workflows:
      all:
        jobs:
          - test:
              matrix:
                parameters: {python: ["3.7", "3.9", "3.8"], django: ["2.2", "3.0"]}
                exclude: [{python: "3.9", django: "3.0"}]
          - test: {name: old, python: "3.6"}
    """
    (job,) = jobs_of(text)
    assert job.versions == {"python": ("3.9", "3.8", "3.7", "3.6")}
    assert job.installs[0].argv[-1] in ("django==2.2", "django==3.0")


def test_jobs_that_test_alike_have_the_versions_of_all_and_that_of_the_newest_is_first() -> None:
    text = """\
    jobs:
      old: &job {docker: [{image: "python:3.6"}], environment: {A: 6}, steps: [{run: pytest}]}
      new: {<<: *job, docker: [{image: "python:3.10"}], environment: {A: 10}}
    """
    found = jobs_of(text)
    assert [job.variables["A"] for job in found] == ["10", "6"]
    assert {job.versions["python"] for job in found} == {("3.10", "3.6")}


def test_of_jobs_for_one_version_the_plainest_is_first_and_none_says_which_gems_count_beside_a_gemfile() -> None:
    text = """\
    jobs:
      old: &job
        docker: [{image: "ruby:2.7"}]
        environment: {BUNDLE_GEMFILE: gemfiles/old, A: 1}
        steps: [{run: bundle exec rspec}]
      own: {<<: *job, environment: {BUNDLE_GEMFILE: Gemfile}}
    """
    assert [job.variables for job in jobs_of(text, Gemfile="")] == [{}, {"A": "1"}]
    assert jobs_of(text, **{"gemfiles/old": ""})[0].variables == {"BUNDLE_GEMFILE": "Gemfile"}


def test_jobs_that_no_workflow_runs_are_none_and_those_that_are_run_by_the_clock_come_last() -> None:
    job = "{docker: [{image: python}], steps: [{run: pytest}]}"
    text = f"""\
    parameters: {{extra: {{type: boolean, default: false}}}}
    jobs: {{unused: {job}, night: {job}, asked: {job}, tagged: {job}, all: {job}}}
    workflows:
      a: {{triggers: [{{schedule: {{cron: "0 0 * * *"}}}}], jobs: [night, all]}}
      b: {{when: << pipeline.parameters.extra >>, jobs: [asked]}}
      c: {{jobs: [tagged: {{filters: {{branches: {{ignore: /.*/}}}}}}, all]}}
    """
    found = jobs_of(text)
    assert [job.seldom for job in found] == [False, True, True, True]
    assert "(job all)" in found[0].source


@pytest.mark.parametrize(
    "job", ["macos: {xcode: 12}", "executor: win/default", "machine: {image: 'windows-server-2019:stable'}"]
)
def test_a_job_of_another_system_says_nothing(job: str) -> None:
    assert jobs_of(f"jobs: {{a: {{{job}, steps: [{{run: pytest}}]}}}}") == ()


def test_a_machine_starts_what_its_steps_compose() -> None:
    job = "{machine: true, steps: [checkout, {run: docker-compose up -d db}, {run: pytest}]}"
    compose = "services: {db: {image: 'postgres:12', ports: ['5432:5432']}}\n"
    (found,) = jobs_of(f"jobs: {{a: {job}}}", **{"docker-compose.yml": compose})
    assert [(each.kind, each.version) for each in found.services] == [("postgresql", "12")]


def test_steps_of_known_orbs_test() -> None:
    assert told(of_steps("- checkout\n- ruby/rspec-test", "orbs: {ruby: circleci/ruby@1.1}")) == [
        ("bundle exec rspec", "")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "jobs: 1", "jobs: [a]", "jobs: {a: }", "jobs: {a: {steps: x}}",
        "jobs: {a: {docker: x, steps: [{run: pytest}]}}",
        "jobs: {a: {<<: x, executor: [1], machine: [], steps: [{run: }, {}, [], {when: }, {unless: {steps: 3}}]}}",
        "workflows: {a: {jobs: [{}, [], {a: {matrix: {parameters: {b: c}}, filters: 3}}]}}\njobs: {a: {steps: []}}",
        "orbs: 3\ncommands: [a]\nexecutors: x\nparameters: 4\njobs: {a: {steps: [b: {c: d}]}}", "a: &a [*a]\njobs: *a",
    ],
)  # fmt: skip
def test_what_is_broken_raises_nothing(text: str) -> None:
    assert len(jobs_of(text)) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "commands: &c\n"
        + "".join(f"  c{n}: {{steps: [{', '.join(f'c{m}' for m in range(30))}]}}\n" for n in range(30))
        + "".join(f"  d{n}: {{steps: [c1]}}\n" for n in range(30))
        + "jobs:\n"
        + "".join(f"  j{n}: {{steps: [{', '.join(f'c{m}' for m in range(30))}]}}\n" for n in range(200)),
        "x: &x {condition: {and: [" + "true, " * 200 + "]}, steps: [{run: pytest}]}\njobs:\n"
        + "".join(f"  j{n}: {{steps: [{'{when: *x}, ' * 50}]}}\n" for n in range(40)),
        "x: &x\n  when: {condition: true, steps: [*x, *x, *x]}\njobs: {a: {steps: [*x, *x, {run: pytest}]}}",
        "x: &x\n  <<: [*x, *x, *x, *x, *x]\n  run: pytest\njobs: {a: {<<: *x, steps: [*x]}}",
        "x: &x\n  and: [" + "*x, " * 12 + "]\njobs: {a: {steps: [{when: {condition: *x, steps: [{run: pytest}]}}]}}",
        "parameters: {a: {default: " + "x" * 3_900 + "}}\njobs:\n"
        + "".join(f"  j{n}: {{steps: [{{run: pytest {'<< pipeline.parameters.a >>' * 300}}}]}}\n" for n in range(9)),
        "jobs:\n  j: &j\n    parameters: {a: }\n    docker:\n"
        + ("    - {image: redis, environment: {" + ", ".join(f"A{n}: 1" for n in range(40)) + "}}\n") * 20
        + "    steps: [{run: pytest}]\n"
        + "".join(f"  k{n}: *j\n" for n in range(20))
        + "workflows: {w: {jobs: ["
        + "".join(f"{{k{n}: {{matrix: {{parameters: {{a: [{'1, ' * 60}]}}}}}}}}, " for n in range(20))
        + "]}}",
        *(
            "commands:\n  c:\n    steps:\n"
            + f"    - {{{step}}}\n" * 2
            + "".join(f"  c{n}: {{steps: [{'c, ' * 50}]}}\n" for n in range(30))
            + "jobs:\n"
            + "".join(f"  j{n}: {{steps: [{', '.join(f'c{m}' for m in range(30))}]}}\n" for n in range(50))
            for step in (
                "run: {command: pytest, environment: {" + ", ".join(f"A{n}: 1" for n in range(8_000)) + "}}",
                "no: {" + ", ".join(f"A{n}: 1" for n in range(8_000)) + "}",
                "run: 'pytest " + "/a " * 30_000 + "'",
                "when: {condition: {equal: [" + "a, " * 30_000 + "]}, steps: [{run: pytest}]}",
            )
        ),
        "jobs: {a: {parameters: {p: {default: 1}}, steps: [{run: pytest}]}}\nworkflows: {w: {jobs: ["
        + "{a: {matrix: {parameters: {"
        + ", ".join(f"p{n}: [{', '.join('12345678')}]" for n in range(30))
        + "}}}}]}}",
    ],
)  # fmt: skip
def test_a_file_that_stands_for_very_much_comes_to_an_end(text: str) -> None:
    begun = time.process_time()
    jobs_of(text)
    assert time.process_time() - begun < 5
