Feature: Servers of tools, and an agent as one
  The command uses the tools of MCP servers, and is one for other programs.

  Scenario: A server's tools stand beside the agent's
    Given an agent without tools of its own, and a server that adds
    When it is asked with the server's command
    Then the server's tool is called, and the run is kept like any other

  Scenario: A server that cannot be used is one clear line
    Given a command that is none
    When an agent is asked with it
    Then one line names it, without its arguments, and nothing ran

  Scenario: An agent is a server of other programs
    Given the bakery's agent, served on standard input and output
    When the protocol's own client lists its tools and calls them
    Then the tools answer, a wrong input is a failure in words, and the agent itself answers a task

  Scenario: What needs a person is refused to other programs
    Given the agent that places orders
    When its order is asked for
    Then it is denied, since nobody can be asked, and no order is placed

  Scenario: The server ends when its input does
    Given a program that leaves
    When the input ends
    Then the command ends well, and printed nothing that is no message
