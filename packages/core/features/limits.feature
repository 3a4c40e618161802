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

  Scenario: A cost that is reached, or not known, ends the run
    Given a limit on cost
    Then the run stops over its cost once it is spent, and at once where a reply does not say what it cost

  Scenario: Time counts while the run is live, and not while it sleeps
    Given a limit on time, and a run that was taken up a day later
    Then it stops out of time once it was live for so long

  Scenario: A call that was asked for too often is refused, and then ends the run
    Given a model that asks for the same call again and again, its keys in any order
    Then the call over the limit is not run and says what came back before, and one more stops the run

  Scenario: A further message may ask for the same again
    Given a limit on repeats, and a second message
    Then the same call runs once for each

  Scenario: A limit may leave the model a last turn, for words alone
    Given a limit that asks for a final answer
    Then the model is asked once more, without its tools, and the stop holds the limit and the words
