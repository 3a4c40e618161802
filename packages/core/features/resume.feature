Feature: A run can be taken up where it was left

  The journal holds the whole run. Whatever ended the process, another one goes on from there,
  and nothing that was done or paid for is done or paid for twice.

  Scenario: A run that has ended gives its outcome again, and asks nobody
    Given a run that was answered
    Then it has the same stop, spent and steps, and no model and no tool was asked

  Scenario: What has a result never runs again, and a kept reply is not asked for again
    Given a run cut off between the results of two calls
    Then the second call runs, the first does not, and the model is asked for the next reply

  Scenario: A read that was cut off runs again under the same identity
    Given a read that had begun
    Then it runs, and sees the run, the turn and the place it saw before

  Scenario: A write that was cut off is never repeated
    Given a write that had begun
    Then it does not run, and the model reads that it may have taken effect

  Scenario: An idempotent write that was cut off runs again
    Given a write that may be repeated
    Then it runs under the key it had before

  Scenario: A run stopped by a limit goes on under a higher one
    Given a run out of turns, with calls left open
    Then under the same limit it is still out of turns, and under a higher one the calls run and it is answered

  Scenario: A run that failed or was interrupted goes on
    Given a model that was away, and a run that was interrupted
    Then both are answered

  Scenario: A further message follows in the same conversation
    Given an answered run and a new message
    Then the model sees all of it, and the limits count from the message

  Scenario: A further message closes the calls that were left open
    Given a run out of turns and a new message
    Then the model reads that the calls did not run, before it reads the message

  Scenario: A run that is not there is told
    Given an id that the journal does not have
    Then the error names it

  Scenario: What is no run, or another's, is not taken up
    Given events without a beginning, and a copy of another run
    Then the error names the run and the line

  Scenario: Two cannot write one run
    Given a run that two take up at once, whether the journal knows who writes or not
    Then one of them goes on, and the other gets a conflict
