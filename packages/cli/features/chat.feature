Feature: Talking with an agent
  A conversation goes on message by message, and is a run that is kept.

  Scenario: Messages go on in one conversation
    Given messages of one line and of several, on standard input
    When they are said in a chat
    Then each is answered in the same run, which is kept and can be taken up

  Scenario: A chat says what it cost and what the model saw
    Given a chat with one message
    When /cost, /messages, a word that is none, and /exit are said
    Then the tokens and the messages are printed, the word is one clear line, and nothing after /exit is read

  Scenario: A chat at a terminal asks for each message
    Given a terminal
    When a message is typed, and then /exit
    Then the answer stands below it, and the chat asks again and ends
