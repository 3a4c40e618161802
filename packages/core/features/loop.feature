Feature: The loop holds its rules whatever the model does

  A run is a model in a loop with tools. Whatever the model asks and however a tool fails, the run
  ends in a value, and its transcript is one that a provider would take.

  Scenario: An answer ends the run
    Given a model that answers at once
    Then the run stops with the answer, after one turn

  Scenario: A reply with no call and no words is no answer
    Given a model that answers with white space
    Then the run stops as "unfinished"

  Scenario: A stop from the model is never an answer
    Given a model that is cut off in the middle of a sentence
    Then the run stops as "truncated" and no call runs

  Scenario: Calls of one reply run together, and their results go back in the order asked
    Given two calls of which the first finishes last
    Then the second is recorded first
    But the model reads the first one's result first

  Scenario: Two calls with one id are two calls
    Given a reply with two calls of one id, and a later reply that uses it again
    Then each call runs once and has its own result

  Scenario: A name is looked up among the tools only
    Given calls to "constructor", "__proto__" and "toString"
    Then each is an unknown tool

  Scenario: One dying call costs its siblings nothing
    Given calls that fail, die, throw, interrupt themselves and succeed
    Then each has its own result and the run goes on

  Scenario: A hanging call ends at its time limit
    Given a call that never ends beside one that does
    When the time limit has passed
    Then the first is unavailable and says so, and the second has its result

  Scenario: A call that ignores its interruption cannot hold the run
    Given a call that never ends and cannot be interrupted
    When the time limit has passed
    Then the run goes on

  Scenario: Interrupting the run interrupts its tools
    Given a call that waits
    When the run is interrupted
    Then the tool is interrupted, its finalizers have run, and observers are told what run it was and what it had spent

  Scenario: An interruption outside a run's life leaves no event
    Given a run that is interrupted before its first event, and one after its last
    Then no event is added

  Scenario: A fatal failure ends the run
    Given a tool that says nothing can mend it
    Then the run ends with an error that names it, and the other call's result is kept

  Scenario: A model that cannot be reached ends the run
    Given a model that fails on its second turn
    Then the run ends with its error, which holds the run, what it spent and its events

  Scenario: Broken text from a model or a tool is mended
    Given halves of surrogate pairs in an answer, in a call's input and in a tool's result
    Then the transcript is well-formed

  Scenario: A task without words is still a task
    Given an empty task
    Then the model reads that it was empty

  Scenario: Every event is recorded before the run goes on
    Given a journal
    Then it holds the run's events in order, and each reply before a tool ran

  Scenario: Nothing goes on unrecorded
    Given a journal that fails when a reply is to be kept
    Then the run ends with a JournalError and no tool has run

  Scenario: Events are recorded one at a time, and what is kept is told
    Given a slow journal, and a fatal failure while it writes
    Then it is never asked twice at once, and the error holds what the journal holds

  Scenario: A Fatal costs its siblings nothing that they had done
    Given results that wait for a slow journal when a sibling is fatal
    Then each is kept, and the run can be resumed without running those calls again

  Scenario: A call that writes is recorded before it runs
    Given a tool that writes
    Then its start is in the journal when it runs

  Scenario: An observer cannot break a run
    Given an observer that fails and one that dies
    Then the run ends as without them
