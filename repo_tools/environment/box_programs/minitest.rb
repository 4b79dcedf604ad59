# Runs minitest files and says what comes of each test, as a line of JSON on the given descriptor.
# Sent as text; the arguments are the descriptor, then options and files.
require "json"
channel = IO.for_fd(Integer(ARGV.shift), "w", autoclose: false)
channel.close_on_exec = true
channel.sync = true
require "minitest"

class AccountReporter < Minitest::AbstractReporter
  def initialize(channel)
    super()
    @channel = channel
  end

  def record(result)
    place = result.respond_to?(:source_location) ? result.source_location : result.method(result.name).source_location
    failures = result.failures.map { |failure| failure.message.to_s[0, 4000] }
    how = result.skipped? ? "skipped" : result.passed? ? "passed" : result.error? ? "error" : "failed"
    suite = result.respond_to?(:klass) ? result.klass : result.class.name
    say(kind: "test", suite: suite, name: result.name, file: place && place[0], how: how, seconds: result.time,
        message: failures.join("\n"))
  end

  def report
    say(kind: "end")
  end

  private

  def say(words)
    sound = words.map { |key, word| [key, word.is_a?(String) ? word.dup.force_encoding("UTF-8").scrub : word] }
    @channel.write(JSON.generate(sound.to_h) + "\n")
  end
end

Minitest.extensions << "account"
Minitest.define_singleton_method(:plugin_account_init) { |_| reporter << AccountReporter.new(channel) }
files, options = ARGV.partition { |word| word.end_with?(".rb") }
ARGV.replace(options)
require "minitest/autorun"
broken = files.reject do |file|
  begin
    require File.expand_path(file)
    true
  rescue ScriptError, StandardError, SystemExit => error
    told = [error.class, error.message, *(error.backtrace || []).first(5)].join("\n").scrub[0, 4000]
    channel.write(JSON.generate(kind: "file", file: File.expand_path(file), message: told) + "\n")
    Minitest::Spec.describe_stack.clear if defined?(Minitest::Spec)  # else what comes next is nested in it
    false
  end
end
Minitest.after_run { exit(1) } unless broken.empty?
