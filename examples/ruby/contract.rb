# frozen_string_literal: true

# A small binding for the C interface that uses Fiddle from Ruby's standard library. docs/reference/bindings.md explains
# its parts.
require "fiddle"
require "json"

module Contract
  # An error of the library. Its data is the JSON of `error`, with the shape Error.
  class Error < StandardError
    attr_reader :status, :data

    def initialize(status, data)
      super(data["message"])
      @status = status
      @data = data
    end
  end

  # The functions of the library. Each takes its arguments and returns its result, or raises Error.
  module Native
    LIBRARY = Fiddle.dlopen(ENV.fetch("CONTRACT_LIBRARY", "libcontract.so.1"))
    ABI = 1
    TEXT_SIZE = Fiddle::SIZEOF_VOIDP + Fiddle::SIZEOF_SIZE_T
    private_constant :TEXT_SIZE

    # `arguments` are strings (passed with their length), nil for a missing string, integers as [:handle, 1] or [:uint32, 1], and lists of
    # handles. `result` is :text, :handle or nil.
    def self.call(name, *arguments, result: nil)
      types, values = arguments.map { |one| argument(one) }.transpose.map { |list| list.flatten(1) }
      out = Fiddle::Pointer.malloc(TEXT_SIZE, Fiddle::RUBY_FREE) if result
      error = Fiddle::Pointer.malloc(TEXT_SIZE, Fiddle::RUBY_FREE)
      places = [out, error].compact
      function = function(name, [*types, *places.map { Fiddle::TYPE_VOIDP }])
      status = function.call(*values, *places)
      problem = take(error)
      raise Error.new(status, JSON.parse(problem)) unless status.zero?

      case result
      when :text then take(out)
      when :handle then out[0, 8].unpack1("Q")
      end
    end

    def self.argument(value)
      case value
      when String then [[Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T], [value, value.bytesize]]
      when nil then [[Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T], [nil, 0]]
      when Array
        case value.first
        when :handle then [[-Fiddle::TYPE_LONG_LONG], [value.last]]
        when :uint32 then [[-Fiddle::TYPE_INT], [value.last]]
        when :size then [[Fiddle::TYPE_SIZE_T], [value.last]]
        when :handles then [[Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T], [value.last.pack("Q*"), value.last.size]]
        end
      end
    end

    # Converts a `contract_text` of the library to a string and frees it.
    def self.take(text)
      address, length = text[0, TEXT_SIZE].unpack("JJ")
      return nil if address.zero?

      copy = Fiddle::Pointer.new(address)[0, length].force_encoding(Encoding::UTF_8)
      free = Fiddle::Function.new(LIBRARY["contract_text_free"], [Fiddle::TYPE_VOIDP], Fiddle::TYPE_VOID)
      free.call(text)
      copy
    end

    def self.function(name, types)
      @functions ||= {}
      @functions[name] ||= Fiddle::Function.new(LIBRARY[name], types, Fiddle::TYPE_INT)
    end

    version = Fiddle::Function.new(LIBRARY["contract_abi_version"], [], Fiddle::TYPE_INT).call
    raise "the library has version #{version} of the interface, and this binding was written for #{ABI}" if version != ABI
  end

  # A contract between a consumer and a provider.
  class Consumer
    def initialize(consumer, provider, **options)
      @contract = Native.call("contract_new", { consumer:, provider:, options: }.to_json, result: :handle)
    end

    def upon_receiving(description)
      operation = { upon_receiving: { description: } }.to_json
      origin = caller_locations(1, 1).first
      Interaction.new(
        Native.call("contract_apply", [:handle, @contract], operation, "#{origin.path}:#{origin.lineno}", result: :handle)
      )
    end

    # Runs a mock server during the block, which receives the URL. Raises an error if there are mismatches.
    def serve
      server = Native.call("contract_serve", [:handle, @contract], nil, nil, result: :handle)
      passed = false
      url = JSON.parse(Native.call("contract_server_describe", [:handle, server], result: :text)).fetch("url")
      yield url
      passed = true
    ensure
      if server
        verdict = Native.call("contract_servers_end", [:handles, [server]], { end: passed ? "passed" : "failed" }.to_json, result: :text)
        Native.call("contract_free", [:handle, server])
        mismatched = JSON.parse(verdict)["mismatched"]
        raise mismatched["text"] if mismatched
      end
    end
  end

  # Provides each operation of an interaction as a method: `with_request(method: "GET", path: "/")`.
  class Interaction
    NAMES = JSON.parse(Native.call("contract_operations", result: :text))["operations"]
                .filter_map { |one| one["name"] if one["of"] == "interaction" }

    def initialize(handle)
      @handle = handle
    end

    NAMES.each do |name|
      define_method(name) do |**arguments|
        Native.call("contract_interaction_apply", [:handle, @handle], { name => arguments }.to_json, result: :text)
        self
      end
    end
  end

  # Verifies a provider. Blocks for states are called on the thread that calls `verify`.
  class Verifier
    def initialize(provider)
      @verifier = Native.call("contract_verifier_new", provider, result: :handle)
      @functions = []
    end

    def apply(operation)
      Native.call("contract_verifier_apply", [:handle, @verifier], operation.to_json)
      self
    end

    # The core identifies functions by number.
    def function(&block)
      @functions << block
      { "contract:value": "function", id: @functions.size - 1 }
    end

    # Returns the result of the run, with the shape RunResult.
    def verify(**options)
      Native.call("contract_verifier_begin", [:handle, @verifier], { run: options }.to_json)
      loop do
        # Between two calls, Ruby handles signals such as Ctrl-C.
        text = Native.call("contract_poll_event", [:handle, @verifier], [:uint32, 100], result: :text) or next
        event = JSON.parse(text)
        return event["result"] || raise(Error.new(nil, event["error"])) if event["event"] == "ended"

        answer(event)
      end
    end

    def close
      Native.call("contract_free", [:handle, @verifier])
    end

    private

    def answer(event)
      value = @functions.fetch(event["function"]).call(*event["arguments"])
      Native.call("contract_answer", [:handle, event["call"]], (value.is_a?(Hash) ? value : nil).to_json, nil)
    rescue StandardError => e
      Native.call("contract_answer", [:handle, event["call"]], nil, "#{e.class}: #{e.message}")
    end
  end

  def self.match(name, **arguments)
    JSON.parse(Native.call("contract_matcher", "match.#{name}", arguments.to_json, result: :text))
  end
end
