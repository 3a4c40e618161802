Feature: A run in a terminal
  Who sits at a terminal sees what the run does while it does it, and can stop it.

  Scenario: Words come as they are said
    Given Claude, who says half of an answer and then waits
    When a question is asked in a terminal
    Then the half is on the screen before the rest was sent, and the whole answer is there once, with a summary below

  Scenario: A call is one line that fills in
    Given a scripted run of three calls
    When it is played in a terminal
    Then the screen shows a line for each call with its result, the answer and the summary, and nothing else

  Scenario: A wait shows how long it is
    Given a model that does not answer, in a narrow terminal
    When a question is asked
    Then one line is drawn anew with the time that has gone by, and never breaks

  Scenario: Ctrl-C interrupts a run, which can be taken up
    Given a model that does not answer
    When Ctrl-C is pressed
    Then the screen says that the run was interrupted, and the command that takes it up

  Scenario: A terminal without colours gets none, and one that cannot draw gets lines
    Given NO_COLOR, and a terminal that is dumb
    When a run is played in each
    Then the first has no colours, and the second the lines of a pipe

  Scenario: Quiet is the answer alone
    Given a run that answers, one that a limit stops, and --quiet
    When each is played, in a terminal or in a pipe
    Then the answer is all that is printed, or why there is none
