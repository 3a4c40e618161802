Feature: An agent of one's own
  The command runs anybody's agent: a file whose default export is an agent with its Layers.

  Scenario: A file's agent is asked
    Given a file with an agent, its tools and its model
    When a question is asked with --agent and the file
    Then its run is played and kept as any other

  Scenario: A run of a file's agent is taken up with the file
    Given a run of a file's agent that waits for a person
    When it is approved with and without --agent
    Then it goes on with it, and without it one line says that the file is needed

  Scenario: A file that is no agent is one clear line
    Given files that are not there, throw, export nothing, have no model, or whose Layer cannot be built
    When each is asked
    Then one line says what is wrong with it

  Scenario: Ctrl-C twice ends the command at once
    Given an agent whose tool cannot be interrupted
    When Ctrl-C is pressed once, and once more
    Then the command goes on after the first, and ends at once after the second
