Feature: Pickup questions at the bakery

  A customer writes, and the agent drafts an answer from the bakery's own menu and hours.
  Nothing it does changes an order or reaches the customer: a person reads the draft first.

  Scenario: The agent answers from the bakery's own data
    Given a question about two dozen sourdough rolls on Saturday at 9
    When the model asks for the item and for Saturday's hours at once
    Then it reads both results in one turn, in the order it asked
    And its answer ends the run

  Scenario: A failed lookup goes back to the model as a result
    Given the bakery bakes no croissants
    When the model looks croissants up
    Then it reads an error that says what the menu has instead

  Scenario: Input that breaks the schema never reaches the tool
    When the model asks for the hours of "Saturday morning"
    Then it reads a badInput error that lists the days there are
    And the hours were never looked up

  Scenario: A day with a capital letter still finds the hours
    When the model asks for the hours of "Saturday"
    Then it reads the hours of Saturday

  Scenario: An unknown tool is a failure, not a crash
    When the model calls a tool named "place_order"
    Then it reads a notFound error that lists the tools there are

  Scenario: A tool that throws is a failure, not a crash
    Given a till that holds the menu and is offline
    When the model looks an item up
    Then it reads an unavailable error that says why

  Scenario: The loop stops at its turn limit
    Given a model that wants a tool every time
    When the agent runs with a limit of 3 turns
    Then the model is asked 3 times
    And the run stops out of turns

  Scenario: The loop stops when its budget is spent
    Given a model that wants a tool every time, at 400 tokens a reply
    When the agent runs with a limit of 1000 tokens
    Then the third reply is the last
    And the run stops out of tokens

  Scenario: A refusal is a stop, never an answer
    Given a model that declines
    When the agent runs
    Then the run stops with the reason "refused"
    And no tool has run
