Feature: Some actions wait for a person's yes

  Scenario: Calls that need nobody run at once, and the others wait with their input and why
    Given a reply with calls of both kinds
    Then the run stops awaiting approval, names what waits with its decoded input, and has run the rest

  Scenario: A predicate that fails, dies or never ends asks a person
    Given tools whose predicate does each of these
    Then each call waits

  Scenario: Input that does not decode asks nobody
    Given a call with such input
    Then it is a bad input for the model, and nothing waits

  Scenario: A run that waits survives a change of process, and the model is not asked until the last answer
    Given a run that stopped with two calls waiting
    Then it goes on waiting after one answer, and is finished elsewhere after the second

  Scenario: Answers come in any order, and results go back in the order of the calls
    Given three calls, answered the last one first
    Then the model reads their results in the order it asked for them, and who said what is kept

  Scenario: A call that is denied does not run, and the model reads why
    Given a call that a person denies
    Then its result starts with "denied: ", and says in data that it did not run

  Scenario: An approved call may run with another input, which is decoded again
    Given calls that are approved with a good and with a bad input
    Then the first runs with it, and the second does not run

  Scenario: An answer that fits nothing is refused, and none of those with it is taken
    Given answers to no such call, to another input, to another run, and a second different one
    Then each is refused with its reason, and the first answer stands

  Scenario: The same answer again changes nothing
    Given an answer that is given twice
    Then the second is no event

  Scenario: A Layer can answer at once
    Given layers that allow all, deny all, and ask someone
    Then the run does not stop for it

  Scenario: What fails, dies or is interrupted while a person is asked is never a yes
    Given layers that do each of these
    Then nothing ran, and the run can be taken up

  Scenario: The time that a person takes is not counted
    Given a limit on time, and people who say yes, say nothing and leave after an hour
    Then no time was spent

  Scenario: What was approved never begins twice
    Given a process that dies while an approved call is at work, whatever its tool says of repeats
    Then the model reads that it may have taken effect

  Scenario: A further message closes what nobody approved
    Given a message to a run that waits
    Then the model reads of each waiting call that it did not run

  Scenario: A person reads the answer before it is one
    Given an agent whose answers are approved
    Then its answer waits, and is sent as it is, in other words, or not at all

  Scenario: The words of a last turn at a limit ask nobody
    Given an agent whose answers are approved, and a limit with a final answer
    Then the run stops at the limit

  Scenario: A draft in a conversation that goes on is dropped
    Given a message to a run whose answer waits
    Then the model goes on from its draft, and the next answer waits in its place

  Scenario: Cut anywhere and taken up, a run with a person in it comes to the same end
    Given every prefix of such a run's events
    Then each comes to the same conversation, and nothing gated ran twice
