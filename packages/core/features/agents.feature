Feature: An agent can be a tool of another one

  Scenario: Only its task goes in, and only its answer comes out
    Given an agent that calls another one
    Then the other sees its own instructions, tools and task alone, and the first reads its answer alone

  Scenario: Agents of one reply run together
    Given two agents that wait for each other
    Then both answer

  Scenario: Its own model and tools come from its own Layers, built once
    Given an agent with a model of its own, called twice
    Then its own model answers, and its Layers were built once
    And a Layer that cannot be built says so when the toolset is built

  Scenario: What a child spends is in its parent's total once
    Given three levels
    Then each level's total is its own replies and those below it

  Scenario: A child's limits are its own, or its share of what is left where that is less
    Given two agents that start together, one with a limit of its own
    Then the one has its own limit, the other half of what was left

  Scenario: A child for which nothing is left does not begin
    Given a budget with less than one token for each
    Then their results say that a limit kept them from running

  Scenario: A child that stops without an answer is a failed result
    Given a child that stops in each way there is
    Then its result is an error that names the stop, with its last words

  Scenario: A child that fails costs its siblings nothing
    Given children whose model cannot be reached, and dies
    Then their results say so, and the sibling's result is there

  Scenario: A Fatal in a child ends the whole tree
    Given a tool that is fatal, two levels down
    Then the root ends with it, and can be resumed when the cause is mended

  Scenario: A gated call in a child suspends the root, and is answered from there
    Given calls that need a person, two levels down
    Then the root names them, and in other processes is answered and goes on, and nothing ran twice

  Scenario: A child's answer can wait for a person
    Given a child whose answers are approved
    Then it waits at the root, and the parent reads it as the person changed it

  Scenario: The call of an agent can itself need a person
    Given an agent that is called only with a person's yes
    Then it begins once there is one, and its own calls can wait too

  Scenario: Without a journal a child that waits is asked about on the spot, and goes on where it was
    Given no journal, and a Layer that approves
    Then the child's model is asked no more often than it must be

  Scenario: A child's events are in the journal under its parent
    Given three levels
    Then each run is kept under its parent's id and the call's place, and names its parent

  Scenario: A child is answered at its root alone
    Given an answer to a child's run itself
    Then it is refused

  Scenario: A child's place that holds another run ends the run
    Given a journal that has another run under the child's id
    Then the run fails as damaged, and the other run is untouched

  Scenario: Interrupting the parent interrupts its children
    Given three levels at work
    Then each run's last event says that it was interrupted, and its tools are stopped

  Scenario: Agents that call agents come to an end
    Given an agent that calls itself for ever
    Then the fourth level down does not run, and its caller reads so

  Scenario: A tree never deadlocks on its permits
    Given one permit for requests, one for tools, and three levels
    Then the run is answered, and never was more than one at work

  Scenario: Permits are whole numbers from 1 up
    Given 0, -1, 1.5 and NaN
    Then each is refused by its name

  Scenario: Under other limits a child's share is reckoned anew
    Given a run that was cut off in a child, and is resumed under a higher limit
    Then the child's limit is a share of the higher one
