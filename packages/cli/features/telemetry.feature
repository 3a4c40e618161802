Feature: Sending spans and metrics
  Who runs a collector sees there what the command ran.

  Scenario: A run arrives at a collector
    Given a collector of OpenTelemetry that listens on HTTP
    When a question is asked with --otlp and its address
    Then it has the whole tree of spans with their attributes, and the metrics, of the service levain
    And nothing that was said is among them

  Scenario: What was said is sent where that is asked for
    Given a collector
    When a question is asked with --otlp and --otlp-content
    Then the question is in the spans

  Scenario: A collector that is away is told once, and changes nothing
    Given an address where nobody listens, and a collector that takes nothing
    When a question is asked with --otlp
    Then the output and the exit code are as without it, and one line on standard error says that nothing could be sent

  Scenario: What is no address of a collector gets one clear line
    Given no address, or what is none
    When a question is asked with --otlp
    Then nothing runs, and one line says what to name
