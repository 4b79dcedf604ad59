# Runs files of the gem test-unit and says what comes of each test, as a line of JSON on the given descriptor.
# Sent as text; the arguments are the descriptor, then options and files.
require "json"
channel = IO.for_fd(Integer(ARGV.shift), "w", autoclose: false)
channel.close_on_exec = true
channel.sync = true
require "test/unit"
require "test/unit/collector/descendant"
require "test/unit/ui/console/testrunner"

class AccountListener
  def initialize(channel)
    @channel = channel
    @faults = []
  end

  def attach_to_mediator(mediator)
    mediator.add_listener(Test::Unit::TestCase::STARTED_OBJECT) { |_| start }
    mediator.add_listener(Test::Unit::TestResult::FAULT) { |fault| @began ? @faults << fault : outside(fault) }
    mediator.add_listener(Test::Unit::TestCase::FINISHED_OBJECT) { |test| finish(test) }
  end

  def say(words)
    sound = words.map { |key, word| [key, word.is_a?(String) ? word.dup.force_encoding("UTF-8").scrub : word] }
    @channel.write(JSON.generate(sound.to_h) + "\n")
  end

  private

  def start
    @faults = []
    @began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def finish(test)
    place = test.respond_to?(test.method_name, true) && test.method(test.method_name).source_location
    say(kind: "test", suite: test.class.name, name: test.name.scrub.sub(/\([^()]*\)\z/, ""), file: place && place[0],
        how: how, seconds: Process.clock_gettime(Process::CLOCK_MONOTONIC) - @began,
        message: @faults.map { |fault| fault.long_display.to_s.scrub[0, 4000] }.join("\n"))
    @began = nil
  end

  # Of what a class does before or after all of its tests, and which is no test itself.
  def outside(fault)
    frame = fault.location.find { |place| place.start_with?("#{Dir.pwd}/") }.to_s
    say(kind: "file", file: frame[/\A[^:]+/], message: fault.long_display.to_s.scrub[0, 4000])
  end

  def how
    kinds = @faults.map { |fault| fault.class.name.split("::").last }
    return "error" if kinds.include?("Error")
    return "failed" if kinds.include?("Failure")
    (kinds & %w[Pending Omission]).empty? ? "passed" : "skipped"
  end
end

Test::Unit::AutoRunner.need_auto_run = false
files, options = ARGV.partition { |word| word.end_with?(".rb") }
ARGV.clear
named = options.grep(/\A--name=/).map { |option| Regexp.new(option[8..-2]) }.first
listener = AccountListener.new(channel)
broken = files.reject do |file|
  begin
    require File.expand_path(file)
    true
  rescue ScriptError, StandardError, SystemExit => error
    told = [error.class, error.message, *(error.backtrace || []).first(5)].join("\n").scrub[0, 4000]
    listener.say(kind: "file", file: File.expand_path(file), message: told)
    false
  end
end
collector = Test::Unit::Collector::Descendant.new
collector.filter = proc { |test| !named || named.match?("#{test.class.name}##{test.name.scrub.sub(/\([^()]*\)\z/, "")}") }
result = Test::Unit::UI::Console::TestRunner.run(collector.collect("tests"), listeners: [listener])
listener.say(kind: "end")
exit(result.passed? && broken.empty?)
