// Package contract is a thin Go layer over the C interface: operations and results are maps.
package contract

/*
#cgo pkg-config: contract
#include <contract.h>
#include <stdlib.h>

extern void contractState(void *user, uint64_t call, uint32_t function, char *role, size_t role_length, char *arguments, size_t arguments_length);

static void contract_state_callback(void *user, uint64_t call, uint32_t function, const char *role, size_t role_length,
                                    const char *arguments, size_t arguments_length) {
    contractState(user, call, function, (char *)role, role_length, (char *)arguments, arguments_length);
}

static contract_status contract_go_set_callback(contract_handle verifier, uintptr_t user, contract_text *error) {
    return contract_verifier_set_callback(verifier, contract_state_callback, (void *)user, error);
}
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// Error is an error that the library returned.
type Error struct {
	Status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// JSON is a JSON object, used for operations, options, and results.
type JSON = map[string]any

func text(value any) (*C.char, C.size_t) {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw(string(data))
}

// raw converts a string to C for one call; done frees it.
func raw(value string) (*C.char, C.size_t) { return C.CString(value), C.size_t(len(value)) }

func done(texts ...*C.char) {
	for _, one := range texts {
		C.free(unsafe.Pointer(one))
	}
}

func taken(out *C.contract_text) []byte {
	defer C.contract_text_free(out)
	if out.data == nil {
		return nil
	}
	return C.GoBytes(unsafe.Pointer(out.data), C.int(out.length))
}

func failure(status C.contract_status, problem *C.contract_text) error {
	data := taken(problem)
	if status == C.CONTRACT_OK {
		return nil
	}
	err := &Error{Status: int(status)}
	if json.Unmarshal(data, err) != nil {
		err.Message = string(data)
	}
	return err
}

// Matcher returns the matcher JSON of a call such as match.int.
func Matcher(name string, arguments JSON) (json.RawMessage, error) {
	n, nl := raw(name)
	a, al := text(arguments)
	defer done(n, a)
	var out, problem C.contract_text
	if err := failure(C.contract_matcher(n, nl, a, al, &out, &problem), &problem); err != nil {
		return nil, err
	}
	return taken(&out), nil
}

// Contract is a contract between a consumer and a provider.
type Contract struct{ handle C.contract_handle }

// Interaction is one request with its response.
type Interaction struct{ handle C.contract_handle }

// New creates a contract that is written to the directory.
func New(consumer, provider, directory string) (*Contract, error) {
	j, l := text(JSON{"consumer": consumer, "provider": provider, "options": JSON{"directory": directory}})
	defer done(j)
	var problem C.contract_text
	contract := &Contract{}
	return contract, failure(C.contract_new(j, l, &contract.handle, &problem), &problem)
}

// UponReceiving starts an interaction and applies its operations.
func (c *Contract) UponReceiving(description string, operations ...JSON) (*Interaction, error) {
	j, l := text(JSON{"upon_receiving": JSON{"description": description}})
	defer done(j)
	var problem C.contract_text
	interaction := &Interaction{}
	status := C.contract_apply(c.handle, j, l, nil, 0, &interaction.handle, &problem)
	if err := failure(status, &problem); err != nil {
		return nil, err
	}
	for _, operation := range operations {
		if err := interaction.Apply(operation); err != nil {
			return nil, err
		}
	}
	return interaction, nil
}

// Apply applies an operation.
func (i *Interaction) Apply(operation JSON) error {
	j, l := text(operation)
	defer done(j)
	var problem C.contract_text
	return failure(C.contract_interaction_apply(i.handle, j, l, nil, &problem), &problem)
}

// Serve runs a mock server during the test and returns mismatches as an error.
func (c *Contract) Serve(test func(url string) error) error {
	var server C.contract_handle
	var out, problem C.contract_text
	if err := failure(C.contract_serve(c.handle, nil, 0, nil, 0, &server, &problem), &problem); err != nil {
		return err
	}
	defer C.contract_free(server, nil)
	if err := failure(C.contract_server_describe(server, &out, &problem), &problem); err != nil {
		return err
	}
	var about struct{ URL string }
	if err := json.Unmarshal(taken(&out), &about); err != nil {
		return err
	}
	result := test(about.URL)
	end := "passed"
	if result != nil {
		end = "failed"
	}
	j, l := text(JSON{"end": end})
	defer done(j)
	if err := failure(C.contract_servers_end(&server, 1, j, l, &out, &problem), &problem); err != nil {
		return err
	}
	var verdict struct{ Mismatched *struct{ Text string } }
	if err := json.Unmarshal(taken(&out), &verdict); err != nil {
		return err
	}
	if verdict.Mismatched != nil {
		return fmt.Errorf("%s", verdict.Mismatched.Text)
	}
	return result
}

// Free releases the contract.
func (c *Contract) Free() { C.contract_free(c.handle, nil) }

// StateHandler sets up or tears down a provider state.
type StateHandler func(action string, parameters JSON) error

// Verifier verifies a provider.
type Verifier struct {
	handle   C.contract_handle
	handlers []StateHandler
	own      cgo.Handle
}

// NewVerifier creates a verifier for a provider.
func NewVerifier(provider string) (*Verifier, error) {
	p, l := raw(provider)
	defer done(p)
	var problem C.contract_text
	verifier := &Verifier{}
	if err := failure(C.contract_verifier_new(p, l, &verifier.handle, &problem), &problem); err != nil {
		return nil, err
	}
	verifier.own = cgo.NewHandle(verifier)
	status := C.contract_go_set_callback(verifier.handle, C.uintptr_t(verifier.own), &problem)
	return verifier, failure(status, &problem)
}

// Apply applies an operation.
func (v *Verifier) Apply(operation JSON) error {
	j, l := text(operation)
	defer done(j)
	var problem C.contract_text
	return failure(C.contract_verifier_apply(v.handle, j, l, &problem), &problem)
}

// State registers a handler for a provider state.
func (v *Verifier) State(name string, handler StateHandler) error {
	v.handlers = append(v.handlers, handler)
	function := JSON{"contract:value": "function", "id": len(v.handlers) - 1}
	return v.Apply(JSON{"state_handler": JSON{"handler": JSON{name: function}}})
}

// Run runs the verification and returns failures as an error.
func (v *Verifier) Run() error {
	var out, problem C.contract_text
	if err := failure(C.contract_verifier_run(v.handle, nil, 0, &out, &problem), &problem); err != nil {
		return err
	}
	var found struct{ Failures *string }
	if err := json.Unmarshal(taken(&out), &found); err != nil {
		return err
	}
	if found.Failures != nil {
		return fmt.Errorf("%s", *found.Failures)
	}
	return nil
}

// Free releases the verifier.
func (v *Verifier) Free() {
	C.contract_free(v.handle, nil)
	v.own.Delete()
}

//export contractState
func contractState(user unsafe.Pointer, call C.uint64_t, function C.uint32_t, role *C.char, roleLength C.size_t, arguments *C.char, length C.size_t) {
	verifier := cgo.Handle(uintptr(user)).Value().(*Verifier)
	err := answered(verifier, int(function), C.GoBytes(unsafe.Pointer(arguments), C.int(length)))
	if err == nil {
		C.contract_answer(call, nil, 0, nil, 0, nil)
		return
	}
	problem, l := raw(err.Error())
	defer done(problem)
	C.contract_answer(call, nil, 0, problem, l, nil)
}

// answered calls a handler. It converts a panic to a failure, because panics must not leave a callback.
func answered(verifier *Verifier, function int, arguments []byte) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v", problem)
		}
	}()
	var given []json.RawMessage
	if err := json.Unmarshal(arguments, &given); err != nil {
		return err
	}
	var action string
	var parameters JSON
	if err := json.Unmarshal(given[0], &action); err != nil {
		return err
	}
	if err := json.Unmarshal(given[1], &parameters); err != nil {
		return err
	}
	return verifier.handlers[function](action, parameters)
}
