Feature: Watching a run
  A run can be seen while it goes on, and whoever watches can neither change it nor break it.

  Scenario: A stream shows all of a run in order
    Given a model that asks for a tool and then answers in pieces
    When the run is streamed
    Then its parts are the events that the journal keeps, the pieces stand before the reply that they make
    And the last part is RunStopped, and there is no other end

  Scenario: A stream of a run that fails says so twice
    Given a model that cannot be reached
    When the run is streamed
    Then the last part is RunFailed, and the stream fails with the error of the run

  Scenario: A slow reader slows the run and loses nothing
    Given a reply in a thousand pieces, and a reader who stops at the first
    When the reader reads on
    Then the run was never more than the bound ahead, and every piece arrives

  Scenario: A reader who leaves interrupts the run
    Given a run whose tool waits for ever
    When the reader is interrupted, or takes a few parts and no more, even with the buffer full
    Then the run is interrupted, its finalizers have run, and the journal ends with RunInterrupted

  Scenario: A retried reply tells the reader to drop its words
    Given a model that fails in the middle of its words, under a policy that asks again
    When the run is streamed
    Then the words that were begun are followed by Restarted and the whole reply

  Scenario: A kept run is streamed where it is taken up
    Given a run that was stopped by a limit
    When its resume is streamed
    Then the first part is RunResumed, and a run that had ended has no part at all

  Scenario: A stream shows the runs that the run calls
    Given an agent that calls an agent
    When the run is streamed
    Then each part names its run, and the last is the end of the first run

  Scenario: An observer that fails is told no more
    Given an observer that fails, one that dies and one that throws, and an agent that calls an agent
    When the agent runs
    Then each is reported once and dropped for the whole tree, and the others see all

  Scenario: A tool's progress reaches observers only
    Given a tool that says how it gets on, and goes on saying so after its result
    When it is called
    Then observers hear what was said before the result, and neither the model nor the journal does

  Scenario: Progress that nobody hears does nothing
    Given a tool that says how it gets on
    When it runs without observers, or outside a run
    Then its result is the same
