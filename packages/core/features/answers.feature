Feature: Answers with a type
  What a program asks an agent for is a value, and the model hears why one was not taken.

  Scenario: An answer with a type is a value
    Given an agent whose answer is a struct
    When the model looks something up and then calls the tool answer
    Then the run has stopped with an answer, which is the decoded value, and no tool ran for it

  Scenario: An answer that does not decode goes back with why
    Given a model whose first answer is wrong
    When the run goes on
    Then it reads what was wrong, and its second answer is taken

  Scenario: Words are no answer where one has a type
    Given a model that answers in words, and one that does so for ever
    When they are told that an answer is a call
    Then the first is taken once it calls, and the other is stopped by the limit of turns

  Scenario: A typed answer can wait for a person
    Given an agent whose answers a person approves
    When the model answers
    Then the run waits with the answer, and goes on with what the person made of it

  Scenario: A run with a typed answer is taken up with its agent
    Given a run that was cut off before its answer
    When it is taken up without its agent, and then with it
    Then the first says what is missing, and the second has the answer, as often as it is asked

  Scenario: A tool that is called like the answer is one clear error
    Given a toolset with a tool of the name answer
    When an agent with a typed answer runs with it
    Then the run fails and says which name to change

  Scenario: An agent with a typed answer is a tool like any other
    Given an agent that calls it
    When it answers
    Then its caller reads the answer as JSON

  Scenario: An answer that no model can be held to is refused at once
    Given a Schema that is no struct
    When an agent is made with it
    Then it throws, and says what to take instead
