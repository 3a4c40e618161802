Feature: An order is placed once, and only with a person's yes

  Scenario: An order waits for a person, with what it is in its own words
    Given an agent that takes orders, and a clear one
    Then what it read is looked up at once, and the order waits, in no place yet

  Scenario: An approved order is placed once, at the menu's prices
    Given the order is approved
    Then it is kept under the call's identity, and the customer reads what it comes to

  Scenario: An order that a person denies is not placed
    Given the order is denied
    Then nothing is kept, and the customer is not told that it is

  Scenario: An order that a person changes is placed as it then is
    Given the order is approved with another amount
    Then that amount is kept and told

  Scenario: The agent that answers questions cannot order
    Given the agent that only reads
    Then it has no tool that writes

  Scenario: What is not clear is asked, not ordered
    Given questions without an amount, without a day, with a closed day, with an item that is not on the menu
    Then nothing waits

  Scenario: What cannot be ordered is told to the model
    Given a closed day, no amount, an item that is not on the menu, and orders that cannot be written
    Then each is a result that says so

  Scenario: A repeat is not a second order
    Given every place where orders are kept, and an order placed twice under one key
    Then there is one, and another key makes another

  Scenario: Orders in a file outlive the process, and what was cut off is none
    Given a file whose last line was cut off
    Then the whole orders are there, and the next one is placed
