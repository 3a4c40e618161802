Feature: The timeline of a kept run
  Who wonders where the time and the money went looks at when what ran, beside what, and what it used.

  Scenario: A run's replies and calls are lines on one scale
    Given a kept run with three calls at once
    When its timeline is printed
    Then each reply and each call is a line with its time, its bar and its tokens, a failed call says so, and the last line is the sum

  Scenario: Calls that run together have bars above each other
    Given a run with two calls of one reply, a slow one and one that was cut off, and a call of an agent
    When its timeline is drawn
    Then the bars of the calls begin together, what never ended is marked, and the called agent's replies stand below its call

  Scenario: A run that is not there is one clear line
    Given a journal without runs
    When a timeline is asked for
    Then one line says where to look
