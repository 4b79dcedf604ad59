"""Changes to a library in Ruby, tested by RSpec, proved or not in real boxes."""

import pytest

from repo_tools.verification.contract import Verdict
from tests.support.engine import shared_bubblewrap
from tests.support.laboratory import Laboratory, laboratory
from tests.support.long import first_of
from tests.support.toolchains import need

pytestmark = [pytest.mark.bubblewrap, pytest.mark.timeout(900)]

TILL = """\
module Till
  def self.digits(text)
    text.length
  end

  def self.double(number)
    number * 2
  end
end
"""
SPEC = """\
require_relative '../lib/till'

RSpec.describe Till do
  let(:twice) { 4 }

  it 'counts' do
    expect(Till.digits('12')).to eq 2
  end

  it 'doubles' do
    expect(Till.double(2)).to eq twice
  end
end
"""
LETTERS = "  it 'counts no letters' do\n    expect(Till.digits('1a')).to eq 1\n  end\n\n  it 'doubles' do"
TESTED = SPEC.replace("  it 'doubles' do", LETTERS)
FIXED = TILL.replace("text.length", "text.count('0-9')")
TRIPLED = FIXED.replace("number * 2", "number * 3")
FILES = {"lib/till.rb": TILL, "spec/till_spec.rb": SPEC, ".rspec": "--color\n"}
DOUBLES = "spec/till_spec.rb::Till doubles"
BROKEN = f"This test passes on the base commit and not with your change: {DOUBLES}."


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    need("ruby", "rspec")
    return laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("till"), FILES)


def test_a_fix_with_a_test_is_proved(till: Laboratory) -> None:
    verification = till.verify({"lib/till.rb": FIXED, "spec/till_spec.rb": TESTED})
    assert (verification.verdict, verification.reasons) == (Verdict.PROVED, ())
    assert verification.turned_green == ("spec/till_spec.rb::Till counts no letters",)


@pytest.mark.parametrize(
    ("product", "spec", "why"),
    first_of(
        [
            (FIXED, TESTED.replace("it 'counts' do", "it 'counts all' do"), "Your change removes or renames tests"),
            (FIXED, TESTED.replace("it 'counts' do", "xit 'counts' do"), "Your change skips tests"),
            (TRIPLED, TESTED.replace("to eq twice", "to be > 1"), BROKEN),
        ]
    ),
    ids=["renamed", "skipped", "made to ask for less"],
)
def test_what_asks_for_less_than_before_is_refused(till: Laboratory, product: str, spec: str, why: str) -> None:
    verification = till.verify({"lib/till.rb": product, "spec/till_spec.rb": spec})
    assert verification.verdict is Verdict.NOT_PROVED
    assert verification.reasons[0].startswith(why)


def test_a_contract_that_stands_beside_the_test_is_changed_there(till: Laboratory) -> None:
    spec = TESTED.replace("{ 4 }", "{ 6 }")
    verification = till.verify({"lib/till.rb": TRIPLED, "spec/till_spec.rb": spec})
    assert (verification.verdict, verification.contract_tests) == (Verdict.CONTRACT_CHANGED, (DOUBLES,))


GEM = "Gem::Specification.new do |gem|\n  gem.name = 'till'\n  gem.version = '1'\n  gem.summary = gem.authors = 'a'\n"
GEM += "end\n"


@pytest.mark.long(short="test_a_fix_with_a_test_is_proved")
def test_a_manifest_that_loads_another_product_for_its_tests_proves_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """V13: Bundler runs it in their process."""
    need("ruby", "rspec")
    gemfile = {"Gemfile": "source 'https://rubygems.org'\ngemspec\ngem 'rspec'\n", "till.gemspec": GEM}
    spec = TESTED.replace("require_relative '../lib/till'", "require 'till'")
    files = {**FILES, **gemfile, "spec/till_spec.rb": spec}
    till = laboratory(shared_bubblewrap(tmp_path_factory), tmp_path_factory.mktemp("gem"), files)
    assert till.baseline.red == {"spec/till_spec.rb::Till counts no letters"}
    other = GEM.replace(
        "  gem.name", "  $LOAD_PATH.unshift(File.expand_path('fix', File.dirname(__FILE__)))\n  gem.name"
    )
    change = {"lib/till.rb": TILL + "\nmodule Unused\nend\n", "till.gemspec": other, "fix/till.rb": FIXED}
    verification = till.verify(change)
    assert (verification.verdict, verification.turned_green) == (Verdict.NOT_PROVED, ())
