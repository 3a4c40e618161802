Feature: Tracing and measuring a run
  A program with a tracer sees its runs as spans in OpenTelemetry's words, and its metrics say what they used.

  Scenario: A run is a tree of spans
    Given a tracer, and a run whose agent calls a tool and another agent
    When the agent runs
    Then the run's span holds its turns, a turn its request and its calls, and the call of an agent the whole run of that agent

  Scenario: Spans carry the conventions' names
    Given a tracer, and a model that says who it is
    When the agent runs
    Then the spans say operation, agent, conversation, provider, models, finish reason, tool, and tokens with those of the cache

  Scenario: What was said is in spans only where that is asked for
    Given a tracer, and a run whose instructions, task, reply, input and result hold a secret
    When the agent runs with content switched off, and again with content switched on
    Then no attribute and no status of the first holds the secret, and the second holds each of the five as JSON

  Scenario: Failures and stops are errors of their spans
    Given a tracer, and runs that end at a limit, with a failed tool, an unknown tool, a failing model, a Fatal tool and a refusal
    When each runs
    Then its spans end in an error whose type is one word, and those above a failure that the run outlived do not

  Scenario: Waiting for a person is no error
    Given a tracer, and a run with a call that needs a person who is not there
    When the agent runs
    Then no span has an error, and the run's span says that it waits

  Scenario: An interrupted run ends all its spans
    Given a tracer, and a run whose tool waits for ever
    When the run is interrupted
    Then each span has ended, as interrupted

  Scenario: A reply that was begun anew is an event of its request
    Given a tracer, and a model that fails in the middle of its words, under a policy that asks another
    When the agent runs
    Then the request's span has an event that says why

  Scenario: A run that is taken up has a turn for its open calls
    Given a tracer, and a run that was cut off in a call
    When the run is resumed
    Then the call's span is in a span of the turn that asked for it

  Scenario: Metrics count tokens, cost, duration and failed calls
    Given an empty registry of metrics, and a run with a cached request, a failed request and a failed call
    When the agent runs
    Then tokens, cost, durations and failures are what the run used, told apart by operation, model, agent, tool and error

  Scenario: Without a tracer nothing is traced or measured
    Given an empty registry of metrics, and no tracer
    When the agent runs, and again where it is measured always
    Then the registry is empty after the first run, and has the metrics after the second
