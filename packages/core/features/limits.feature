Feature: A limit keeps the loop from going round again, and does nothing else

  Scenario: An answer that arrives over budget is kept
    Given an answer that costs more than the limit
    Then the run stops with the answer

  Scenario: A limit of n turns asks at most n times
    Given a model that wants a tool every time
    Then for each limit the model is asked just so often, and its last calls do not run

  Scenario: Turns are checked before tokens
    Given a reply that crosses both limits
    Then the run stops out of turns

  Scenario: Cached tokens count
    Given replies that are almost all read from or written to a cache
    Then the run stops out of tokens

  Scenario: A limit is a whole number from 1 up
    Given limits of 0, -1, 1.5, NaN and Infinity
    Then each is refused by its name

  Scenario: A limit left out is none, and turns are never without one
    Given an agent without limits
    Then it has no limit on tokens, and one of 10 turns
