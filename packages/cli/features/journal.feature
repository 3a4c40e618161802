Feature: Runs are kept, and can be taken up

  Whoever asked can look at what happened, go on where a run was cut off or ran into a limit,
  and follow up on an answer.

  Scenario: A run is kept, and can be listed and shown
    Given two runs
    Then the newer one is listed first, and each is shown as it was printed, as messages and as events

  Scenario: A run stopped by a limit goes on under a higher one
    Given a run out of turns
    Then under its own limit it ends as it did, and under a higher one its calls run and it is answered

  Scenario: An answer can be followed up
    Given an answered run and one more question
    Then it is answered in the same run

  Scenario: A run is named by the beginning of its id, or last
    Given an id that is no run's, one that is several, and one that is one run's
    Then only the last is found, and the others are told in one line

  Scenario: A run that was killed goes on where it was
    Given a process killed while the model was at work on its second reply
    Then the run is unfinished, and another process asks for the second reply only

  Scenario: A run that is alive is nobody else's
    Given a process that waits for its model
    Then another that takes up its run is told at once that somebody else writes it

  Scenario: A run that is told to end leaves a journal that can be taken up
    Given Ctrl-C, and SIGTERM, while the model is at work
    Then the run is nobody's, and goes on where it was

  Scenario: A database keeps runs as a folder does
    Given a file of SQLite, and a PostgreSQL where there is one
    Then runs are listed, shown and taken up there

  Scenario: A run that is not to be kept is not
    Given --no-journal
    Then nothing is listed

  Scenario: A place that cannot be used is one clear line
    Given a folder that is a file, a database that is none of ours or away, and no home
    Then one line says what to name instead
