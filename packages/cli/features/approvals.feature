Feature: A person says yes or no, whenever it suits

  Scenario: What waits is listed, and goes on once it is approved
    Given an order that waits
    Then it is listed with what it would do, one command approves it, and the order is placed once

  Scenario: What is denied is not done
    Given an order that is denied
    Then nothing is placed, the run is answered, and the story says who said why

  Scenario: A call can run with another input
    Given an order that is approved with another amount, and with what the tool does not take
    Then the first is placed, and the others are one clear line

  Scenario: A run with several calls waits for each of them
    Given a reply that asks for two orders
    Then the first answer leaves it waiting for the second, and which is meant must be said

  Scenario: An answer that fits nothing is one clear line
    Given a call that waits for nobody, one that was answered, and a denial without a reason
    Then one line says what does wait, and the exit code is 2

  Scenario: A person at the terminal is asked on the spot
    Given a person who says yes, changes the amount, says no, leaves, and presses Enter alone
    Then the order is placed, placed as changed, not placed, and waits

  Scenario: The answer can wait for a person too
    Given a question asked with --approve-answer
    Then the answer waits, and is sent in the words of whoever approves it

  Scenario: What the agents below a run wait for is listed under the run
    Given a kept run that called an agent, which waits
    Then only the run is listed, the call's name leads down to it, and the agent's own run can be shown

  Scenario: A run that is not kept cannot be answered later
    Given --no-journal and an order that waits
    Then one line says so

  Scenario: A run goes on with the tools of its own agent
    Given a run of an agent that this command does not have
    Then one line says so
