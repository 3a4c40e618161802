Feature: The command starts with no more than it needs
  Whoever asks for help or asks offline does not wait for what only others need.

  Scenario: Help and an offline question load no SDK, no database and no exporter
    Given the command, with a list of each module that it loads
    When it prints its help, answers offline, and is sent to Claude
    Then only the last loads the SDK, and none loads SQL, MCP or an exporter of spans
    And help loads no agent and no loop

  Scenario: Completions are there for each shell
    Given bash, zsh and fish
    When completions are asked for
    Then each gets a script that knows the command's subcommands
