Feature: The levain command

  A newcomer asks a question and sees what the agent looks up, why it stopped and what it answers.
  Whatever goes wrong is one line and an exit code.

  Scenario: A question is answered from the bakery's data
    When a question is asked, in words that need no quotes
    Then each call is printed with its result, then why the run stopped, then a true answer

  Scenario: The demo plays the lesson's run
    Then it prints the three calls, their results and the answer, to the letter

  Scenario: Events are printed one a line
    When a question is asked with --json
    Then each line is an event, and together they are the run

  Scenario: The question can come from standard input
    When it is piped in
    Then it is answered

  Scenario: No question gets one clear line
    Given an empty standard input, or a question of white space
    Then one line says what to write, and the exit code is 2

  Scenario: A wrong flag gets one clear line
    Given an unknown flag, an unknown command, a model there is not
    Then one line names it, and the exit code is 2

  Scenario: A limit of 0 gets one clear line
    Given limits of 0, -1, 1.5, words and nothing
    Then one line names the flag and what it takes, and the exit code is 2

  Scenario: Each kind of stop has its exit code
    Given a run that is out of turns, and one that is out of tokens
    Then the codes are 3 and 4, and the line says what to raise

  Scenario: Colour is for terminals only
    Given a terminal, a pipe, and a terminal with NO_COLOR
    Then only the first is coloured

  Scenario: A reader that leaves early is no error
    Given a pipe that is closed after one line
    Then nothing is complained of
