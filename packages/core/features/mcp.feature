Feature: The tools of MCP servers
  A server's tools stand beside one's own, and what a server does cannot break a run.

  Scenario: A server's tools run in the loop
    Given a server that lists a tool that adds and one that shows a picture
    When a model asks for both, and for one with a wrong input
    Then the sum is words, the picture is an image, and the wrong input never reaches the server

  Scenario: A server says what its tools do
    Given a server whose tools carry hints
    When its tools are listed
    Then those that read may be repeated by a resume, and names stand under the prefix

  Scenario: What is structured, linked or embedded is read too
    Given a tool that gives structured content, and one that gives a resource
    When they are called
    Then the model reads both as words

  Scenario: A tool that fails says so to the model
    Given a server that only reads in one folder
    When the model asks for a file elsewhere
    Then the result is a failure in the server's words

  Scenario: A call that takes too long is unavailable
    Given a tool that works for ten seconds, and a limit of one
    When it is called
    Then the model reads that it took too long

  Scenario: A server that dies is started again once
    Given a server that is killed
    When its tools are called again and again
    Then the call at work is unavailable, the next is answered, and after a second death none is

  Scenario: A server that cannot be started is one clear error
    Given a command that is none
    When a toolset is built of it
    Then the error names the server and says what happened

  Scenario: A server is reached over HTTP
    Given a server on a port
    When its tools are called
    Then they answer as over a pipe
