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

  Scenario: Cost, time and repeats have limits too, and a last turn gives words
    Given runs over their cost and out of turns with --final-answer, and limits that are none
    Then each says so, with the words there were, and what a flag takes

  Scenario: Colour is for terminals only
    Given a terminal, a pipe, and a terminal with NO_COLOR
    Then only the first is coloured

  Scenario: No arguments ask for help
    Then it is printed, and the exit code is 0

  Scenario: A stack is for those who ask for it
    Given a run that fails, and an agent's file that breaks the command
    When it is played with and without --debug
    Then without it there is one line, and with it the stack too

  Scenario: Output that cannot be written is one clear line
    Given a disk that is full
    Then one line says so, and the exit code is 1

  Scenario: A reader that leaves early is no error
    Given a pipe that is closed after one line
    Then nothing is complained of

  Scenario: Claude answers where there is a key
    Given a key in the environment and no --model
    Then the first line says that Claude answers, and the last ones what it cost and what it said
    And with --json every line of the output is an event still

  Scenario: The flags for Claude reach it
    Given --model claude with a name, an effort and a base URL
    Then the request that the API gets has them

  Scenario: Claude without a key gets one clear line
    Given --model claude and no key
    Then one line says what to set, nothing is sent, and the exit code is 2

  Scenario: A flag for Claude without Claude gets one clear line
    Given --effort and no key, or the offline model
    Then one line says why it is no use, and the exit code is 2

  Scenario: A model that is busy is asked again
    Given an API that is overloaded once
    Then one line on standard error says so, the output is that of the answer alone, and the key is the one that was given

  Scenario: A model that cannot be reached fails the run
    Given a key that the API refuses
    Then one line says so without the key, and the exit code is 1
