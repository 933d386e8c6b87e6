package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"relais/api"
	"relais/api/endpoint"
	"relais/api/view"
)

// operations are the operations of the API by name.
var operations = sync.OnceValue(func() map[string]*endpoint.Op[*api.Env] {
	byName := map[string]*endpoint.Op[*api.Env]{}
	for _, op := range api.Operations() {
		byName[op.Name] = op
	}
	return byName
})

// answerOf asks an operation of the API as a client does, so that a page shows what the API answers,
// in its order. The error is an *api.Error.
func answerOf[T any](ctx context.Context, env *api.Env, name string, params map[string]string) (*T, error) {
	op := operations()[name]
	answer, err := callOf[T](ctx, env, op, params)
	if err != nil {
		return nil, api.PublicError(op, err)
	}
	return answer, nil
}

func callOf[T any](ctx context.Context, env *api.Env, op *endpoint.Op[*api.Env], params map[string]string) (*T, error) {
	if err := env.Usable(op.DependsOn...); err != nil {
		return nil, err
	}
	call, err := op.Bind(func(p *endpoint.Param) (string, error) { return params[p.Name], nil })
	if err != nil {
		return nil, err
	}
	result, err := call.Do(ctx, env)
	if err != nil {
		return nil, err
	}
	if answer, ok := result.(*T); ok {
		return answer, nil
	}
	var text bytes.Buffer
	if written, ok := result.(*endpoint.Answer); ok {
		err = written.Write(&text)
		text.WriteByte('}') // its end
	} else {
		var encoded []byte
		encoded, err = view.JSON(result)
		text.Write(encoded)
	}
	if err != nil {
		return nil, err
	}
	answer := new(T)
	return answer, json.Unmarshal(text.Bytes(), answer)
}

// shownValues is how many allowed values an error of a page lists.
const shownValues = 20

// failure returns the status and the text of a page for an error of an operation, which is logged if
// it is of this program. m is the name of the market that was asked for.
func (p *Pages) failure(w words, err error, m string) (status int, text string) {
	e, ok := errors.AsType[*api.Error](err)
	switch {
	case !ok || e.Status == http.StatusInternalServerError:
		p.Log.Error("a page failed", "error", err, "cause", errors.Unwrap(err))
		return http.StatusInternalServerError, w["later"]
	case e.Status == http.StatusUnauthorized: // a register that only callers with a key may have
		return http.StatusForbidden, w.Fill("restricted", m)
	case e.Status == http.StatusBadRequest:
		text = w.Fill("badValue", w.Parameter(e.Parameter))
		if n := len(e.Allowed); n > 0 && n <= shownValues {
			text += " " + w.Fill("goodValues", strings.Join(e.Allowed, ", "))
		}
		return e.Status, text
	case e.NotReady() && p.Env().Set == nil:
		return e.Status, w["dataLoading"]
	case e.NotReady():
		return e.Status, w.Fill("notLoaded", m)
	case e.Status == http.StatusNotFound:
		return e.Status, w["noSite"]
	}
	return e.Status, w["later"]
}

// Parameter returns the name of a parameter for people.
func (w words) Parameter(name string) string {
	if text := w["param."+name]; text != "" {
		return text
	}
	return name
}

// retryAfter tells a client when it is worth asking again.
func retryAfter(h http.Header, err error) {
	if e, ok := errors.AsType[*api.Error](err); ok && e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
}
